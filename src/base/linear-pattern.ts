import { RE2JS } from "re2js";

const LONGEST_PATTERN = 2_000;

/** `undefined` for lookaround, backreferences or an overlong pattern. Throws if it is invalid. */
export function linearPattern(pattern: string, mostSteps: number): RegExp | undefined {
    if (pattern.length > LONGEST_PATTERN) return undefined;
    assertPattern(pattern);
    try {
        return new LinearPattern(RE2JS.compile(RE2JS.translateRegExp(pattern)), mostSteps);
    } catch {
        return undefined;
    }
}

/** Patterns are Unicode's by the standard; the older escapes that many use are not. */
function assertPattern(pattern: string): void {
    try {
        new RegExp(pattern, "u");
    } catch {
        new RegExp(pattern);
    }
}

class LinearPattern extends RegExp {
    constructor(
        private readonly program: RE2JS,
        private readonly mostSteps: number
    ) {
        super("");
    }

    /** True also of a text that is too long to be matched soon: that is left to the tool. */
    override test(text: string): boolean {
        const steps = this.program.programSize() * text.length;
        return steps > this.mostSteps || this.program.matcher(text).find();
    }
}
