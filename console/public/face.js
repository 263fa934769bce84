// Served by a gateway, this file says so.
