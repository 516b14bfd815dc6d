"""Results as HTML, Excel, text and notebook payloads."""
