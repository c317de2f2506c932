import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default"],
    setupFiles: ["test/seed.ts"],
    testTimeout: 60_000,
    restoreMocks: true,
  },
});
