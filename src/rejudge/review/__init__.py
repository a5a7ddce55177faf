"""People in the loop: what they said of traces, what it comes to, and how far scorers agree with it."""
