// Seeded texts of the kinds that a context holds, for counting their tokens: words as people and programs write them, not noise.
import { type Dice, seededText } from "./dice.ts";

const NOUNS =
  "parser reader record session request response handler window budget value message buffer cursor token branch schema worker queue cache index table stream server client policy report summary setting folder version default result pattern string number error header payload channel thread context history provider".split(
    " ",
  );
const VERBS =
  "read write open close merge split fetch store render update remove select resolve collect validate compare count append replace condense recover schedule measure publish restore".split(
    " ",
  );
const SENTENCES: readonly string[] = [
  "The %n keeps every %n of the %n in the order in which it was written.",
  "When a %n cannot be found, the %n is reported with its place, and nothing else is lost.",
  "You can %v the %n by hand, but it is usually better to let the %n do that for you.",
  "In our experience most of the time goes into the %n, which has to %v each %n before it may %v the next one.",
  "That said, it isn't obvious why anybody would want a second %n here; see the discussion in section %d.",
  "A %n that was closed once stays closed: later calls to %v it return at once.",
  "If the %n is larger than the %n allows, it is cut after %d bytes and the rest is kept in a file.",
  "Please note that this changed in version %d.%d, and that older releases %v their %n twice.",
];
const CODE: readonly string[] = [
  "export function %v%N(%n: string, limit = %d): %N | undefined {",
  "  const %n = await this.%v%N(%n.%n, { retries: %d });",
  "  if (%n.length === 0 || %n === null) return undefined;",
  "  for (const %n of %n.entries()) {",
  "    %n.push({ id: %n.id, %n: %n[%d] ?? 0 });",
  "  }",
  "}",
  "",
  "/** The %n of a %n, or nothing where it has none. */",
  'import { %v%N, type %N } from "../%n/%v-%n.ts";',
  "      throw new %NError(`expected a %n, found a %n`);",
  "  return %n.map((%n) => %v%N(%n)).filter(Boolean);",
];
const LOG: readonly string[] = [
  "INFO  worker %d connected to queue %n-%n",
  "WARN  job %D retried (attempt 2 of 5)",
  "ERROR job %D failed: ETIMEDOUT 10.0.%d.%d:5432",
  "DEBUG %v%N took %d ms (%n=%D, %n=%d)",
  "INFO  GET /api/v1/%n/%D 200 in %d ms",
];
const CHINESE =
  "无法读取配置文件|该阈值由截断策略决定|然后重新运行该命令|缓存命中率骤降时须重建索引|请查看日志中的详细信息|归档前应核对散列值是否吻合|用户可在设置里改动缺省值|此函数返回冻结的对象|单元测试业已悉数通过|数据库连接池耗尽|并发写入可能覆盖尾部记录|解析器遇到残缺的行会跳过|压缩后的摘要附有原文引用|窗口余量不足百分之五|回滚操作仅影响尚未生效的决定|分支合并时保留双方的注释".split(
    "|",
  );
const JAPANESE =
  "設定ファイルを読み込めませんでした|パスを確認してから、もう一度実行してください|この関数は凍結されたオブジェクトを返します|すべてのテストに合格しました|接続プールが枯渇しています|ユーザーは設定画面で値を変更できます|切り詰めた要約には原文への参照が付きます|索引の再構築には数分かかることがあります|壊れた行は読み飛ばされます|並行書き込みで末尾が上書きされる恐れがあります".split(
    "|",
  );
const KOREAN =
  "설정 파일을 읽을 수 없습니다|경로를 확인한 후 다시 실행하십시오|이 함수는 새로운 객체를 반환합니다|모든 테스트를 통과했습니다|데이터베이스 연결 시간이 초과되었습니다|잘린 요약에는 원문 참조가 붙습니다|손상된 줄은 건너뜁니다|색인을 다시 만드는 데 몇 분이 걸릴 수 있습니다".split(
    "|",
  );

/** A template with its words in it: %n a noun, %N one with a capital, %v a verb, %d a short number, %D a long one. */
function filled(template: string, dice: Dice): string {
  return template.replace(/%([nNvdD])/g, (_, kind: string) => {
    if (kind === "n") return dice.pick(NOUNS);
    if (kind === "v") return dice.pick(VERBS);
    if (kind === "d") return String(dice.below(200));
    if (kind === "D") return String(10_000 + dice.below(990_000));
    const noun = dice.pick(NOUNS);
    return noun.charAt(0).toUpperCase() + noun.slice(1);
  });
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function time(at: number): string {
  return `${two(Math.floor(at / 3600) % 24)}:${two(Math.floor(at / 60) % 60)}:${two(at % 60)}`;
}

const code = (dice: Dice) => filled(dice.pick(CODE), dice);
const path = (dice: Dice) => filled("src/%n/%v-%n.ts", dice);

const KINDS: Readonly<Record<string, (at: number, dice: Dice) => string>> = {
  prose: (_, dice) => `${Array.from({ length: 2 + dice.below(4) }, () => filled(dice.pick(SENTENCES), dice)).join(" ")}\n`,
  code: (_, dice) => code(dice),
  diff: (at, dice) => {
    if (at % 30 === 0) {
      const file = path(dice);
      return `diff --git a/${file} b/${file}\nindex ${hex(dice, 7)}..${hex(dice, 7)} 100644\n--- a/${file}\n+++ b/${file}`;
    }
    if (at % 15 === 1) return `@@ -${dice.below(400)},7 +${dice.below(400)},9 @@ ${filled("export function %v%N(", dice)}`;
    return `${dice.pick([" ", " ", " ", "+", "-"])}${code(dice)}`;
  },
  grep: (_, dice) => `${path(dice)}:${1 + dice.below(900)}:${code(dice)}`,
  JSON: (_, dice) =>
    JSON.stringify(
      {
        id: dice.below(100_000),
        name: filled("%v-%n", dice),
        [dice.pick(NOUNS)]: dice.below(2) === 0,
        tags: [dice.pick(NOUNS)],
        size: { width: dice.below(2000), unit: "px" },
      },
      null,
      2,
    ),
  log: (at, dice) => `2026-03-12T${time(at)}.${100 + dice.below(900)}Z ${filled(dice.pick(LOG), dice)}`,
  CSV: (at, dice) =>
    `${at},2026-03-${two(1 + dice.below(28))},${filled("%n_%n", dice)},${dice.below(1000)}.${two(dice.below(100))},${dice.below(100_000)},${dice.pick(["true", "false"])}`,
  "access log": (at, dice) =>
    `10.${dice.below(4)}.${dice.below(255)}.${dice.below(255)} - - [12/Mar/2026:${time(at)} +0000] "${dice.pick(["GET", "GET", "POST"])} /${dice.pick(NOUNS)}/${dice.pick(NOUNS)}?id=${dice.below(5000)} HTTP/1.1" ${dice.pick(["200", "200", "304", "404", "500"])} ${dice.below(60_000)} "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"`,
  Chinese: (_, dice) => `${dice.pick(CHINESE)}，${dice.pick(CHINESE)}。`,
  Japanese: (_, dice) => `${dice.pick(JAPANESE)}。${dice.pick(JAPANESE)}。`,
  Korean: (_, dice) => `${dice.pick(KOREAN)}. ${dice.pick(KOREAN)}.`,
};

function hex(dice: Dice, length: number): string {
  return Array.from({ length }, () => dice.below(16).toString(16)).join("");
}

/** A text of every kind, of about `size` characters; the same seed gives the same. */
export function* seededTexts(size: number, seed = 7): IterableIterator<{ readonly name: string; readonly text: string }> {
  for (const [name, line] of Object.entries(KINDS)) {
    yield { name, text: seededText(size, seed, line) };
  }
}
