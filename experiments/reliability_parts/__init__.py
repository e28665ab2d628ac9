"""What the reliability experiment tries: fuzzing, processes, killed runs, damaged surroundings, limits, a soak."""
