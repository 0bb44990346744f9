import type { AllowedCommand } from "../../plugin/index.js";

/** Files that a program runs although its command does not name them. */
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
 * Whether a command runs this file (relative to the root): a word names it, or it is the task file
 * of a program in the command. Words known only at run time are missed.
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

/** Programs look for their task file in the folder and its parents. */
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
