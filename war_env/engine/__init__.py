"""The rules at work, on records of games; knows nothing of learning, observations or Gymnasium."""
