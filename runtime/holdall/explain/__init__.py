"""Audits of bags and fates of fields, with reasons."""
