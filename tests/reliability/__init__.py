"""Faults that a whole program meets: killed processes, full disks, flipped bits, hours of load."""
