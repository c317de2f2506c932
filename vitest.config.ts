import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default"],
    testTimeout: 60_000,
    restoreMocks: true,
  },
});
