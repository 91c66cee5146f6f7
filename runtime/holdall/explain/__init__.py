"""What is in bags and what becomes of fields, with the reasons."""
