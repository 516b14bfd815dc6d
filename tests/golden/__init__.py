"""Results and files of audiencelab 1.0 and 2.0, compared with the current tree."""
