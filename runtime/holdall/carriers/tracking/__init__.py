"""Conversion tracking: values that a version cannot hold, kept as `changedValues` in the document.

The wire format of declared versions: entries by the version that an object has to reach to get
them back. While a conversion runs they are items of the property bags. Source: declared versions,
section 5.
"""
