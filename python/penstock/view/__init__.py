"""A traced run as one HTML page that plays it: packets in flight, queues, congestion windows, drops and marks."""
