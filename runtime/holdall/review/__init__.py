"""ConversionReviews: bytes in, bytes out; no HTTP, no clock."""
