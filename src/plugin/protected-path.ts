// Part of the contract because both sides must agree: the edit tools refuse such a path before the
// review, the applier when it writes.

// Some macOS volumes ignore these in names, so `.g\u200cit` opens `.git` there.
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;

const PROTECTED_FOLDER = /(?:^|[/\\])\.(?:git|north)(?:[/\\]|$)/iu;

/**
 * Whether a path leads into `.git` or `.north` at any depth, ignoring case: off limits for models.
 */
export function isProtectedPath(path: string): boolean {
    return PROTECTED_FOLDER.test(withoutInvisible(path));
}

export function withoutInvisible(path: string): string {
    return path.replace(INVISIBLE, "");
}
