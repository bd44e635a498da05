"""Live updates of pages, and the server that carries them: its connections, its streams, compression."""
