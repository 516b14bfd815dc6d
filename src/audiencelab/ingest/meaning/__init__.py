"""What answers mean: which columns make one question, which value is "chosen", and scales."""
