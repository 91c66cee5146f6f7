"""Conversion tracking: values that a version cannot hold, kept as `changedValues` in the document.

The wire format of declared versions: entries by the version at which an object gets them back.
During a conversion they are entries of property bags. Source: docs/declared.md, "Tracking".
"""
