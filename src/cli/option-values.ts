// What options take, and the one way in which a wrong value is told.
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";

type Parser<Value> = (text: string) => Value;

/** A whole number of at least `least`. */
export function wholeNumber(option: string, least: number): Parser<number> {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw wrongValue(option, `a whole number from ${least}`, text);
  };
}

export function oneOf<const Choice extends string>(option: string, choices: readonly Choice[]): Parser<Choice> {
  return (text) => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw wrongValue(option, choices.join(" or "), text);
  };
}

/** Of an option that may be given several times: all that was given. */
export function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function wrongValue(option: string, expected: string, found: string): Failure {
  return new Failure("usage", `${option}: expected ${expected}, found ${JSON.stringify(found)}.`, EXIT.usage);
}
