"""Honest proof that conversion is lossless: strategies, an independent interpreter, the laws."""
