import { RE2JS } from "re2js";
import { attempt } from "./attempt.js";

const MAX_PATTERN_LENGTH = 2_000;

/** `undefined` for lookaround, backreferences or an overlong pattern. Throws if it is invalid. */
export function linearPattern(pattern: string, maxSteps: number): RegExp | undefined {
    if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
    assertPattern(pattern);
    return attempt(() => new LinearPattern(pattern, maxSteps));
}

/** The standard asks for Unicode patterns; many schemas use the older escapes. */
function assertPattern(pattern: string): void {
    try {
        new RegExp(pattern, "u");
    } catch {
        new RegExp(pattern);
    }
}

class LinearPattern extends RegExp {
    private readonly program: RE2JS;

    constructor(
        private readonly pattern: string,
        private readonly maxSteps: number
    ) {
        super("");
        this.program = RE2JS.compile(RE2JS.translateRegExp(pattern));
    }

    /** For the validator's messages. */
    override toString(): string {
        return this.pattern;
    }

    /** Also true if the text is too long to match quickly; the tool then has to check it. */
    override test(text: string): boolean {
        const steps = this.program.programSize() * text.length;
        return steps > this.maxSteps || this.program.matcher(text).find();
    }
}
