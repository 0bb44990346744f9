const WORD_START = String.raw`(?:^|[\s;&|(\x60{!'"/])`;
const word = (pattern: string): RegExp =>
    new RegExp(`${WORD_START}(?:${pattern})(?![\\w-]|\\.\\w)`, "m");

/** With options before the subcommand. */
const GIT = String.raw`git\s+(?:-[cC]\s+\S+\s+|-\S+\s+)*`;

const RULES: readonly (readonly [consequence: string, signs: readonly RegExp[]])[] = [
    [
        "delete files",
        [
            word(String.raw`rm|rmdir|unlink|shred`),
            word(String.raw`${GIT}(?:clean|rm)`),
            /\s-delete\b/,
        ],
    ],
    [
        "overwrite files or discard changes",
        [
            /(?:^|[^>&\d-])\d?>\|?(?![>&])\s*(?!\/dev\/(?:null|stdout|stderr|tty)\b)\S/m,
            word(String.raw`mv|cp|dd|truncate|tee|install|patch|tar\s+-?\w*x\w*|unzip`),
            word(String.raw`(?:sed|perl|ruby)\s+(?:\S+\s+)*-\w*i\S*`),
            word(String.raw`${GIT}(?:checkout|restore|reset|stash|rebase|merge|pull)`),
        ],
    ],
    [
        "publish",
        [
            word(String.raw`${GIT}push`),
            word(
                String.raw`(?:npm|pnpm|yarn(?:\s+npm)?|cargo|poetry|uv|vsce|gem|twine|docker|podman)\s+(?:publish|upload|push)`
            ),
            word(
                String.raw`gh\s+(?:release|pr|issue|repo|gist)\s+(?:create|edit|merge|delete|comment)`
            ),
        ],
    ],
    [
        "reach the network",
        [
            word(String.raw`curl|wget|ssh|scp|sftp|rsync|nc|ncat|telnet|ftp|gh|npx`),
            word(String.raw`${GIT}(?:push|pull|fetch|clone|ls-remote|submodule)`),
            word(
                String.raw`(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go|gem|bundle|brew|apt|apt-get|dnf|docker|podman)\s+(?:\S+\s+)*?(?:install|i|ci|add|update|upgrade|publish|push|pull|get|fetch|sync|upload)`
            ),
        ],
    ],
];

/**
 * What a command may do, told by a look at its words: `May delete files; may reach the network.`
 * It is a reminder for who decides, and never decides anything: a script hides what it does.
 */
export function consequencesOf(command: string): string | undefined {
    const found = RULES.filter(([, signs]) => signs.some((sign) => sign.test(command)));
    if (found.length === 0) return undefined;
    const sentence = found.map(([consequence]) => `may ${consequence}`).join("; ");
    return `M${sentence.slice(1)}.`;
}
