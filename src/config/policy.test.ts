import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigError, DEFAULT_POLICY, type Policy, parsePolicy } from "./index.ts";

function fault(json: string): ConfigError {
  try {
    parsePolicy(json, "policy.json");
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("accepted");
}

describe("defaults", () => {
  test("an empty object is the default policy", () => {
    expect(parsePolicy("{}", "p")).toEqual(DEFAULT_POLICY);
    expect(DEFAULT_POLICY).toEqual({
      profile: "default",
      condense: {
        keepNewest: 8,
        smallResult: 120,
        stub: { share: 0.4, min: 40, max: 2500, lines: 0.3 },
        keepReads: { tokens: 0, results: 40 },
        arguments: { over: 150, share: 0.25 },
        failedCalls: { enabled: true, afterRequests: 2, minChars: 500 },
        dropThinking: true,
        recallGrace: 3,
        chains: { fold: false, rollingWindow: 3 },
        summaries: { minChars: 1000, grouping: "message", names: 0.1, inputTokens: 24_000 },
        spillThreshold: 65536,
        spillPreviewBytes: 2048,
        protectedTools: [],
        protectedPaths: ["/**/skills/**/*.md", "~/**/skills/**/*.md", "?:/**/skills/**/*.md", ".*/**/skills/**/*.md"],
        triggers: {
          everyRequests: 21,
          finalReply: 21,
          coldCache: 8,
          occupancy: null,
          growth: null,
          windowCap: 300_000,
          window: null,
          paysWithin: null,
          minSaving: 3000,
          minContext: 30_000,
        },
        prices: { cached: 0.3, write: 3.75, lifetimeSeconds: 300 },
      },
      models: {
        model: "none",
        fallback: "none",
        thinking: "default",
        idleTimeoutSeconds: 20,
        ceilingSeconds: 180,
        retries: 3,
        concurrency: 4,
        maxOutputTokens: 4096,
        window: null,
        budgetTokens: null,
        budgetUsd: null,
        price: { input: null, output: null, cacheRead: null },
        fallbackPrice: { input: null, output: null, cacheRead: null },
        providers: {},
      },
    });
  });

  test("a partial nested object leaves its other keys at their defaults instead of undefined", () => {
    const { condense } = parsePolicy('{"condense":{"stub":{"share":0.5}}}', "p");
    expect(condense.stub).toEqual({ share: 0.5, min: 40, max: 2500, lines: 0.3 });
    expect(condense.keepNewest).toBe(8);
  });

  test("no key left out, at any depth, is ever missing from the result", () => {
    const part = fc.record(
      {
        keepNewest: fc.nat(),
        smallResult: fc.nat(),
        stub: fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), min: fc.nat(2500) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(part, (condense) => {
        const read = parsePolicy(JSON.stringify({ condense }), "p");
        expect(keysOf(read)).toEqual(keysOf(DEFAULT_POLICY));
        expect(read.condense).toMatchObject(JSON.parse(JSON.stringify(condense)));
      }),
    );
  });

  test("one reader cannot change the policy of another", () => {
    for (const policy of [DEFAULT_POLICY, parsePolicy('{"condense":{"protectedTools":["bash"]}}', "p")])
      for (const part of [policy, policy.condense, policy.condense.stub, policy.condense.protectedTools, policy.condense.protectedPaths])
        expect(Object.isFrozen(part)).toBe(true);
  });

  test("a byte order mark before the object is no fault", () => {
    expect(parsePolicy("\uFEFF{}", "p")).toEqual(DEFAULT_POLICY);
  });
});

describe("faults", () => {
  test.each([
    [
      "a text where an array belongs, which would protect by substring",
      '{"condense":{"protectedTools":"readonly"}}',
      "config-wrong-type",
      "condense.protectedTools",
    ],
    ["a number among names", '{"condense":{"protectedPaths":["a",3]}}', "config-wrong-type", "condense.protectedPaths.1"],
    ["an empty name", '{"condense":{"protectedTools":[""]}}', "config-out-of-range", "condense.protectedTools.0"],
    ["a number in quotes", '{"condense":{"keepNewest":"8"}}', "config-wrong-type", "condense.keepNewest"],
    ["half a result", '{"condense":{"keepNewest":1.5}}', "config-wrong-type", "condense.keepNewest"],
    ["a number too large to be one", '{"condense":{"triggers":{"minSaving":1e999}}}', "config-wrong-type", "condense.triggers.minSaving"],
    ["a count below zero", '{"condense":{"triggers":{"minContext":-1}}}', "config-out-of-range", "condense.triggers.minContext"],
    ["a window of nothing", '{"condense":{"triggers":{"window":0}}}', "config-out-of-range", "condense.triggers.window"],
    ["a model's window that holds no prompt", '{"models":{"window":3999}}', "config-out-of-range", "models.window"],
    ["a share of nothing", '{"condense":{"triggers":{"occupancy":0}}}', "config-out-of-range", "condense.triggers.occupancy"],
    ["a text where a choice belongs", '{"condense":{"dropThinking":"no"}}', "config-wrong-type", "condense.dropThinking"],
    ["a profile that there is not", '{"profile":"fast"}', "config-out-of-range", "profile"],
    ["a key that moved", '{"condense":{"everyRequests":3}}', "config-removed-key", "condense.everyRequests"],
    ["a threshold that spills the empty text", '{"condense":{"spillThreshold":0}}', "config-out-of-range", "condense.spillThreshold"],
    ["a share above the whole", '{"condense":{"stub":{"share":1.1}}}', "config-out-of-range", "condense.stub.share"],
    ["a most below the least", '{"condense":{"stub":{"min":100,"max":99}}}', "config-out-of-range", "condense.stub.max"],
    ["a most below the least that is the default", '{"condense":{"stub":{"max":39}}}', "config-out-of-range", "condense.stub.max"],
    ["null for a default", '{"condense":{"stub":null}}', "config-wrong-type", "condense.stub"],
    ["an unknown key", '{"condense":{"keepnewest":8}}', "config-unknown-key", "condense.keepnewest"],
    ["an unknown nested key", '{"condense":{"stub":{"shares":1}}}', "config-unknown-key", "condense.stub.shares"],
    ["an unknown room", '{"condens":{}}', "config-unknown-key", "condens"],
    ["a key that every object inherits", '{"__proto__":{}}', "config-unknown-key", "__proto__"],
    ["an array for the whole", "[]", "config-wrong-type", ""],
    ["null for the whole", "null", "config-wrong-type", ""],
    ["a model without its provider", '{"models":{"model":"gpt-5"}}', "config-out-of-range", "models.model"],
    ["a provider without a model", '{"models":{"fallback":"openai/"}}', "config-out-of-range", "models.fallback"],
    ["a budget in USD without a price", '{"models":{"budgetUsd":1}}', "config-out-of-range", "models.budgetUsd"],
    ["the same for the fallback", '{"models":{"budgetUsd":1,"price":{"input":1,"output":1},"fallback":"ollama/x"}}', "config-out-of-range", "models.budgetUsd"],
    ["an unknown key of a provider", '{"models":{"providers":{"mine":{"url":"http://a"}}}}', "config-unknown-key", "models.providers.mine.url"],
    ["a base URL of another scheme", '{"models":{"providers":{"mine":{"baseUrl":"file:///a"}}}}', "config-out-of-range", "models.providers.mine.baseUrl"],
    ["a key command for a shell", '{"models":{"providers":{"mine":{"keyCommand":"pass x"}}}}', "config-wrong-type", "models.providers.mine.keyCommand"],
    ["a provider that is no object", '{"models":{"providers":{"mine":"http://a"}}}', "config-wrong-type", "models.providers.mine"],
    ["a provider's name with a slash", '{"models":{"providers":{"a/b":{}}}}', "config-out-of-range", "models.providers.a/b"],
    ["providers in an array", '{"models":{"providers":[]}}', "config-wrong-type", "models.providers"],
    ["a text cut short", '{"condense":', "config-not-json", ""],
    ["an empty text", " \n", "config-not-json", ""],
    ["a comment", "{} // none", "config-not-json", ""],
  ])("%s", (_, json, code, path) => {
    expect(fault(json)).toMatchObject({ code, path });
  });

  test("the message says where, what was expected, what was found, what to do", () => {
    expect(fault('{"condense":{"protectedTools":"readonly"}}').message).toBe(
      'policy.json, condense.protectedTools: expected an array of texts, found "readonly". Write it as ["one", "another"], a single one too.',
    );
    expect(fault('{"condense":{"stub":{"shares":1}}}').message).toBe(
      'policy.json, condense.stub.shares: expected one of the keys share, min, max, lines, found "shares". Did you mean share? Write it so, or take it out.',
    );
    expect(fault("").message).toMatch(/^policy\.json: expected a JSON object, found an empty text\. /);
  });

  test("what a model is called and what a provider may hold is said", () => {
    expect(fault('{"models":{"model":"gpt-5"}}').message).toBe(
      'policy.json, models.model: expected none, or PROVIDER/ID such as "anthropic/claude-haiku-4-5" or "ollama/qwen3:8b", found "gpt-5". Change it, or leave the key out for its default.',
    );
    expect(fault('{"models":{"providers":{"mine":{"baseurl":"http://a"}}}}').message).toBe(
      'policy.json, models.providers.mine.baseurl: expected one of the keys kind, baseUrl, keyVariable, keyCommand, extras, headers, found "baseurl". Did you mean baseUrl? Write it so, or take it out.',
    );
  });

  test("all faults are told at once", () => {
    const error = fault('{"condense":{"a":1,"b":2,"keepNewest":"x"}}');
    expect(error.faults.map((each) => each.path).sort()).toEqual(["condense.a", "condense.b", "condense.keepNewest"]);
    expect(error.message.split("\n")).toHaveLength(3);
  });

  test("a long value is not repeated whole", () => {
    expect(fault(`{"condense":{"keepNewest":"${"x".repeat(9000)}"}}`).message.length).toBeLessThan(300);
  });

  test("no JSON value makes it throw anything but a ConfigError", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        try {
          parsePolicy(json, "p");
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
    );
  });
});

function keysOf(policy: Policy): unknown[] {
  return [Object.keys(policy), Object.keys(policy.condense).sort(), Object.keys(policy.condense.stub).sort()];
}

test("a profile's values stand right above the defaults, and below what is written beside it", () => {
  expect(parsePolicy('{"profile":"safe"}', "p").condense.keepReads).toEqual({ tokens: 1500, results: 40 });
  expect(parsePolicy('{"profile":"safe","condense":{"keepReads":{"results":5}}}', "p").condense.keepReads).toEqual({ tokens: 1500, results: 5 });
  expect(parsePolicy('{"profile":"safe","condense":{"keepReads":{"tokens":9}}}', "p").condense.keepReads).toEqual({ tokens: 9, results: 40 });
});

test("a file nested deeper than any key is refused with a reason", () => {
  for (const text of [`{"condense":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`])
    expect(() => parsePolicy(text, "policy.json")).toThrow(/^policy\.json: expected objects and lists at most 100 deep, found deeper ones\./);
});
