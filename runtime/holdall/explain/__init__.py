"""What is in bags and what happens to fields, with the reasons."""
