"""Results that must not change: recorded with audiencelab 1.0, compared with the current tree."""
