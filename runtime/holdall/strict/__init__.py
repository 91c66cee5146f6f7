"""Reading documents exactly as their version declares them: for reviews of declared kinds."""
