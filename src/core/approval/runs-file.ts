import type { AllowedCommand } from "../../plugin/index.js";

/** What a program runs that is not named in its command. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
    npm: ["package.json"],
    npx: ["package.json"],
    pnpm: ["package.json"],
    yarn: ["package.json"],
    bun: ["package.json"],
    make: ["Makefile", "makefile", "GNUmakefile"],
    just: ["justfile", "Justfile", ".justfile"],
    rake: ["Rakefile"],
    cargo: ["Cargo.toml", "build.rs"],
    composer: ["composer.json"],
    deno: ["deno.json", "deno.jsonc", "package.json"],
    gradle: ["build.gradle", "build.gradle.kts"],
    mvn: ["pom.xml"],
    tox: ["tox.ini"],
};

/**
 * Whether a command runs this file, which is relative to the root: one of its words names it, or it
 * is the list of tasks of a program that it starts. Words that only a run would know are not seen.
 */
export function runsFile({ command, cwd }: AllowedCommand, path: string): boolean {
    const words = command.split(/[\s;&|()<>"'`=]+/);
    return words.some(
        (word) =>
            resolved(cwd, word) === path ||
            IMPLIED[word.slice(word.lastIndexOf("/") + 1)]?.some((name) =>
                isAbove(path, name, cwd)
            ) === true
    );
}

/** Programs look for their list of tasks in the folder and above it. */
function isAbove(path: string, name: string, cwd: string): boolean {
    if (path === name) return true;
    if (!path.endsWith(`/${name}`)) return false;
    return `${cwd}/`.startsWith(path.slice(0, -name.length));
}

function resolved(folder: string, word: string): string {
    const parts: string[] = [];
    for (const part of `${folder}/${word}`.split("/")) {
        if (part === "..") parts.pop();
        else if (part !== "" && part !== ".") parts.push(part);
    }
    return parts.join("/");
}
