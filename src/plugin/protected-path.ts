// With `north-error.ts` the only code in the contract: the edit tools refuse such a path before the
// review, the applier when it writes, and both must agree.

// macOS ignores these in names on some volumes, so that `.g\u200cit` opens `.git` there.
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

const PROTECTED_FOLDER = /(?:^|[/\\])\.(?:git|north)(?:[/\\]|$)/iu;

/** Whether a path leads into `.git` or `.north`, at any depth, in any case: off limits for models. */
export function isProtectedPath(path: string): boolean {
    return PROTECTED_FOLDER.test(path.replace(INVISIBLE, ""));
}
