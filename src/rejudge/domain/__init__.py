"""What things are: frozen records, pure rules, content ids. No I/O, no clock, no randomness."""
