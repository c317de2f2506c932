// Which random cases the properties try: the same on every run, so that a change is judged by itself; SEED=random, or a number, tries others.
import fc from "fast-check";

const asked = process.env.SEED;
if (asked !== "random") fc.configureGlobal({ seed: Number(asked ?? 20_260) });
