"""How fast the conversion webhook answers, over TLS, against an echo and a dictionary converter."""
