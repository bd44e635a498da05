"""The API under /api/v1. The pages use it themselves. /api/v1/openapi.json describes it."""
