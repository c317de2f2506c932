// The extension as Pi loads it: one entry with everything of ours and of our libraries inside, its rooms in chunks that load when they are needed.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    target: "node22",
    outDir: "dist/pi",
    emptyOutDir: true,
    minify: false,
    reportCompressedSize: false,
    lib: { entry: { palimpsest: "src/hosts/pi/extension.ts" }, formats: ["es"] },
    // What Pi brings itself is never bundled: two copies of it would not know each other.
    rolldownOptions: { external: [/^node:/, /^@earendil-works\//, /^typebox(\/|$)/] },
  },
});
