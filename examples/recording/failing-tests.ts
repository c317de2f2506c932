// The first prompt: fourteen tests fail since the last cleanups. The model looks for the cause of each and repairs it.
import { bash, edit, find, grep, ls, read, type Turn } from "./turn.ts";

export const FAILING_TESTS_PROMPT = `npm test is red since the cleanups of the last days. Please find the cause of every failure, fix the code (not the tests), and tell me which commit broke what. Mind the rules in the README, and say so if you see something else that is wrong on the way.`;

const LOOK_AROUND: readonly Turn[] = [
  {
    thinks:
      "A wholesaler's inventory library that I have not seen before. First the layout and the rules in the README, then the test run, then one failure at a time.",
    says: "I'll start with the layout and the README's rules, then run the tests.",
    calls: [ls("."), find("*.js"), read("README.md")],
  },
  { calls: [read("package.json"), bash("git log --stat --format='%h %ad %s' --date=short")] },
  {
    sees: ["node --test --test-reporter=spec", "Stock: read the clock less often"],
    thinks:
      "The tests run with node:test. The last six commits each touch one file of src: money, csv, pricing, stock, reports, orders. They are the suspects, but I want to see the failures before I look at any of them.",
    says: "Six commits after “Command line, build and audit scripts, data” each touch one file in `src/`. Now the failures themselves.",
    calls: [bash("npm test")],
  },
  {
    sees: ["tests 129", "fail 14", "parts of -250 add up", "570 !== 500", "80 !== 0"],
    thinks:
      "129 tests, 14 failures in seven files: csv 2, money 2, orders 1, pricing 5, reports 2, stock 2. The money failures could be the cause of the discount failure in pricing (-13 instead of -14), so money comes first.",
    says: "14 of 129 tests fail: 2 in csv, 2 in money, 1 in orders, 5 in pricing, 2 in reports and 2 in stock. “spreads a discount to the cent” in pricing probably hangs on `allocate`, so I begin with money.",
    calls: [read("src/money.js"), read("test/money.js")],
  },
];

const MONEY: readonly Turn[] = [
  {
    sees: ["Math.trunc((cents * weight) / whole)", "for (let index = 0; rest > 0;"],
    thinks:
      "Math.trunc rounds towards zero. For -100 over [1,1,1] the parts are -33 each, rest is -1, and the loop with rest > 0 never runs. So the sum is -99. Two repairs: step by the sign of rest, or round down again so that rest is never negative. Who calls it?",
    says: "`allocate` rounds towards zero with `Math.trunc`, but its loop only hands out a positive rest: for −100 over three parts, −1 is left over and lost. Who calls it?",
    calls: [grep("allocate\\(", { context: 3 }), ls("src")],
  },
  {
    thinks: "Only quote in pricing calls it, with -cents. Try the step by sign first.",
    calls: [
      edit("src/money.js", [
        "for (let index = 0; rest > 0; index = (index + 1) % parts.length) {\n    if (weights[index] === 0) continue;\n    parts[index] += 1;\n    rest -= 1;\n  }",
        "const step = Math.sign(rest);\n  for (let index = 0; rest !== 0; index = (index + 1) % parts.length) {\n    if (weights[index] === 0) continue;\n    parts[index] += step;\n    rest -= step;\n  }",
      ]),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/money.js test/pricing.js")] },
  {
    sees: ["[ -87, -13 ]", "[ -33, -33, -34 ]"],
    thinks:
      "Now the sum is right but the cents lie elsewhere: -34,-33,-33 where the test wants -33,-33,-34, and -87,-13 where it wants -86,-14. The tests describe rounding down: the first parts get a cent back. So the earlier code was Math.floor. Look at the commit.",
    says: "The sums are right now, but the spare cent lands on the wrong part: the tests want `[-33, -33, -34]` and `[-86, -14]`, which is what rounding *down* gives. I want to see what that commit changed.",
    calls: [bash("git log -p -2 --format='%h %an %ad%n%n    %s%n' --date=iso -- src/money.js"), read("src/pricing.js")],
  },
  {
    sees: ["-  const parts = weights.map((weight) => Math.floor((cents * weight) / whole));"],
    thinks: "Confirmed: floor → trunc in 'Money: round both signs the same way'. Undo my edit, put floor back, and say why in the comment.",
    says: "Confirmed: “Money: round both signs the same way” turned `Math.floor` into `Math.trunc`. With `floor` the rest is never negative. I take my edit back and restore it, with a comment.",
    calls: [
      edit(
        "src/money.js",
        ["Math.trunc((cents * weight) / whole));", "Math.floor((cents * weight) / whole));"],
        ["const step = Math.sign(rest);\n  for (let index = 0; rest !== 0;", "for (let index = 0; rest > 0;"],
        ["parts[index] += step;\n    rest -= step;", "parts[index] += 1;\n    rest -= 1;"],
        [
          " * What rounding leaves over goes, one cent each, to the first parts with a weight.",
          " * Parts are rounded down, so that what is left over is never negative, also for a credit;\n * it goes, one cent each, to the first parts with a weight.",
        ],
      ),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/money.js test/pricing.js")] },
];

const PRICING: readonly Turn[] = [
  {
    sees: ["asks 40 for each of 10", "42 !== 40", "36 !== 30"],
    thinks:
      "Money is green, the discount too. Four tiers are left: 10, 49, 100, 1000. Keys of an object are strings and sort() without a comparison sorts them as text: 1, 10, 100, 5, 50. So the last matching is 5 or 50. Check.",
    says: "Money and the discount are green. Four tier prices are left: 10 and 49 pieces cost 42 instead of 40, 100 and 1000 cost 36 instead of 30. That looks like thresholds sorted as text.",
    calls: [
      bash(`node -e 'console.log(Object.keys({ 1: 45, 5: 42, 10: 40, 50: 36, 100: 30 }).sort())'`),
      grep("\\.sort\\(", { path: "src" }),
      read("test/pricing.js"),
    ],
  },
  {
    sees: ["[ '1', '10', '100', '5', '50' ]", "this.#thresholds.set(sku, thresholds.sort());"],
    says: "`[ '1', '10', '100', '5', '50' ]`: as text, 5 comes after 100, and the last match wins in `unitPrice`. The other default sorts in `src/` are over SKUs and categories, where text is right.",
    calls: [
      edit("src/pricing.js", ["thresholds.sort());", "thresholds.sort((left, right) => left - right));"]),
      bash("git log -p -1 --format='%h %s' -- src/pricing.js"),
    ],
  },
  {
    sees: ["-    this.#thresholds.set(sku, thresholds.sort((left, right) => left - right));"],
    calls: [bash("node --test --test-reporter=spec test/pricing.js")],
  },
];

const STOCK: readonly Turn[] = [
  {
    sees: ["asks 30 for each of 1000", "fail 0"],
    thinks: "Pricing is done; the commit was 'Prices: sort thresholds once, when they are set'. Next stock: reservations do not expire.",
    says: "Pricing is green; “Prices: sort thresholds once, when they are set” lost the comparison. Next: reservations that never expire.",
    calls: [read("src/ledger.js")],
  },
  { says: "The ledger is in `src/stock.js`, as the README says.", calls: [read("src/stock.js"), read("test/stock.js")] },
  {
    sees: ["reservation.expiresAt > this.#openedAt"],
    thinks:
      "reserved() compares with the time at which the ledger was opened, not with now. sweep() uses the clock. README: after it expires, the pieces are available again whether or not anybody swept it.",
    says: "`reserved` compares `expiresAt` with `#openedAt`, the time the ledger was made, so nothing ever expires without a sweep. `sweep` itself asks the clock. The README's rule says that an expired reservation counts for nothing, swept or not.",
    calls: [grep("openedAt|#clock|expiresAt", { path: "src", context: 2 }), bash("git log -p -2 --format='%h %ad %s' --date=short -- src/stock.js")],
  },
  {
    sees: ["-    const now = this.#clock();"],
    calls: [
      edit(
        "src/stock.js",
        ["  #openedAt;\n", ""],
        ["    this.#openedAt = clock();\n", ""],
        [
          "    let quantity = 0;\n    for (const reservation of this.#reservations",
          "    const now = this.#clock();\n    for (const reservation of this.#reservations",
        ],
      ),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/stock.js")] },
  {
    sees: ["SyntaxError", "#openedAt"],
    thinks: "I dropped `let quantity = 0` and left the comparison. Read the place again before the next edit.",
    says: "I removed a line too many there and left the comparison. Reading the place again.",
    calls: [read("src/stock.js", { offset: 98, limit: 40 })],
  },
  {
    calls: [
      edit(
        "src/stock.js",
        ["    const now = this.#clock();\n    for (const reservation", "    const now = this.#clock();\n    let quantity = 0;\n    for (const reservation"],
        ["reservation.expiresAt > this.#openedAt", "reservation.expiresAt > now"],
      ),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/stock.js test/orders.js")] },
];

const CSV: readonly Turn[] = [
  {
    sees: ["restocks only what was shipped", "570 !== 500"],
    thinks: "Stock is green. Orders has its own failure, I keep it for later. CSV now: spaces in quotes are dropped.",
    says: "Stock is green; “Stock: read the clock less often” was the cause. The remaining failure in orders (570 instead of 500) is another matter. First CSV.",
    calls: [read("src/csv.js"), read("test/csv.js")],
  },
  {
    sees: ["state.fields.push(state.field.trim());", "inside quotes every character counts"],
    says: "`endField` trims every field, although the comment of `parseCsv` says that every character counts inside quotes. `wasQuoted` is still kept but no longer asked here.",
    calls: [
      grep("wasQuoted|trim\\(", { path: "src/csv.js" }),
      bash("git log -p --format='%h %ad %s' --date=short -- src/csv.js"),
      grep("parseTable|parseCsv|formatCsv", { glob: "*.js" }),
    ],
  },
  {
    sees: ["-    state.fields.push(state.wasQuoted ? state.field : state.field.trim());"],
    calls: [edit("src/csv.js", ["state.fields.push(state.field.trim());", "state.fields.push(state.wasQuoted ? state.field : state.field.trim());"])],
  },
  { calls: [bash("node --test --test-reporter=spec test/csv.js test/catalog.js")] },
];

const REPORTS: readonly Turn[] = [
  {
    sees: ["reads spaces inside quotes", "fail 0"],
    says: "CSV is green again (“CSV: drop spaces around fields in one place”). Now the reports that change what they report on.",
    calls: [read("src/reports.js"), read("test/reports.js")],
  },
  {
    sees: ["const layers = [...stock.layers(sku)];", "oldest.quantity -= taken;"],
    thinks:
      "costOfNext copies the array but the layer objects are those of the ledger; oldest.quantity -= taken changes the ledger itself. 850 the first time, 1050 the second. Where else are layers handed out? stock.layers returns the inner array.",
    says: "`costOfNext` copies the list but not the layers in it, and then takes pieces from them: the ledger itself changes. That is why it answers 850 first and 1050 the second time. Who else gets layers from the ledger?",
    calls: [grep("layers\\(|#layersOf|\\.quantity -=", { path: "src", context: 1 }), bash("git log -p -1 --format='%h %ad %s' --date=short -- src/reports.js")],
  },
  {
    sees: ["-  const layers = stock.layers(sku).map((layer) => ({ ...layer }));"],
    thinks:
      "The commit only changed reports. But the root is that the ledger gives its own objects away. Best at the source: layers() hands out copies; then no report can break it. costOfNext can then work on what it gets.",
    says: "The cause is “Reports: copy the list of layers, not each layer”. I repair it one level lower: `StockLedger.layers` hands out copies, so that no report can change the ledger.",
    calls: [
      edit("src/stock.js", [
        "  /** The open layers of a product, oldest first. */\n  layers(sku) {\n    this.#assertKnown(sku);\n    return this.#layersOf(sku);",
        "  /** The open layers of a product, oldest first; copies, since what reads them must not change the ledger. */\n  layers(sku) {\n    this.#assertKnown(sku);\n    return this.#layersOf(sku).map((layer) => ({ ...layer }));",
      ]),
      edit("src/reports.js", ["const layers = [...stock.layers(sku)];", "const layers = stock.layers(sku);"]),
    ],
  },
  { calls: [bash("node --test --test-reporter=spec test/reports.js test/stock.js")] },
];

const ORDERS: readonly Turn[] = [
  {
    sees: ["asks the same question twice", "fail 0"],
    says: "Both green. The last one: a cancelled order that puts back more than had left.",
    calls: [read("src/orders.js"), read("test/orders.js")],
  },
  {
    sees: ["this.#stock.restock(line.sku, line.quantity, { reference: number })"],
    thinks:
      "100 ordered, 30 shipped, cancel: release the reservation of 70, restock must be 30, is 100: 500-30+100 = 570. Matches. Fix: line.shipped. Also check restock's cost.",
    says: "30 of 100 pieces were shipped; `cancel` restocks `line.quantity`, all 100: 500 − 30 + 100 = 570, as the test says. It must be `line.shipped`.",
    calls: [
      edit("src/orders.js", ["restock(line.sku, line.quantity, {", "restock(line.sku, line.shipped, {"]),
      bash("git log -p -2 --format='%h %ad %s' --date=short -- src/orders.js"),
      grep("restock", { context: 4 }),
    ],
  },
  {
    sees: ["-      if (line.shipped > 0) this.#stock.restock(line.sku, line.shipped, { reference: number });"],
    calls: [bash("npm test")],
  },
];

const CLOSE: readonly Turn[] = [
  {
    sees: ["pass 129", "fail 0"],
    thinks:
      "All 129 pass. Build and audit too, then the diff once more, and look for other things that are wrong as asked: ship with an expired reservation; README example SKU.",
    says: "All 129 tests pass. Build and audit next, and a last look at the whole change.",
    calls: [bash("npm run build -- --verbose"), bash("npm run audit"), bash("git diff")],
  },
  {
    sees: ["default-sort", "15 files"],
    thinks:
      "Something else that I saw: issue() with an expired reservation gives held back although reserved() no longer counts it: free = available + held counts these pieces twice. Let me reproduce.",
    says: "One thing I noticed in `issue`: an expired reservation no longer lowers `available`, but its pieces are still added as `held`. I check whether that counts them twice.",
    calls: [
      bash(`node --input-type=module -e '
import { BOLT, makeHouse } from "./test/fixtures.js";
const { stock, clock } = makeHouse();
stock.receive(BOLT, 100, { unitCost: 12 });
const reservation = stock.reserve(BOLT, 80);
clock.advance(31 * 60_000);
console.log({ onHand: stock.onHand(BOLT), available: stock.available(BOLT) });
stock.issue(BOLT, 180, { reservation });
console.log({ onHand: stock.onHand(BOLT), available: stock.available(BOLT) });'`),
      read("src/stock.js"),
    ],
  },
  {
    sees: ["available: 100", "onHand: -80"],
    thinks:
      "100 on hand, and 180 left: the expired reservation of 80 was added to an available of 100 that already holds these pieces. A real hole, but no commit of these days brought it and no test is about it. I was asked to say so, not to repair it.",
    says: "It does: 180 of 100 pieces could leave, and `onHand` is −80 afterwards. No commit of these days brought that and no test is about it, so I leave it and report it.",
    calls: [bash("git status --short && git diff --stat")],
  },
  {
    sees: ["src/stock.js"],
    says: `All 129 tests pass; no test was changed. Six commits broke something:

| commit | fault | repair |
|---|---|---|
| Money: round both signs the same way | \`Math.trunc\` in \`allocate\` left a negative rest that the loop never hands out; credit notes and discounts lost a cent | \`Math.floor\` again, with the reason in the comment |
| CSV: drop spaces around fields in one place | quoted fields were trimmed as well | \`endField\` asks \`wasQuoted\` |
| Prices: sort thresholds once, when they are set | thresholds sorted as text (1, 10, 100, 5, 50) | compared as numbers |
| Stock: read the clock less often | \`reserved\` compared with the time the ledger was opened | asks the clock |
| Reports: copy the list of layers, not each layer | \`costOfNext\` took pieces from the ledger's own layers | \`StockLedger.layers\` hands out copies |
| Orders: cancel in one loop | a cancelled order restocked \`quantity\` instead of \`shipped\` | \`line.shipped\` |

Seen on the way and not touched: \`issue\` adds the pieces of an **expired** reservation to what is available, although \`available\` already counts them, so 180 of 100 pieces can leave through such a reservation.`,
  },
];

export const FAILING_TESTS: readonly Turn[] = [...LOOK_AROUND, ...MONEY, ...PRICING, ...STOCK, ...CSV, ...REPORTS, ...ORDERS, ...CLOSE];
