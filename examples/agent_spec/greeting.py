"""What the mender mends."""

print("Good mroning")
