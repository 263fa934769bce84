import { z } from "zod";

// Imported before any schema is made: the page's policy forbids what zod would generate.
z.config({ jitless: true });
