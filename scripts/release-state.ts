// Conditions a checkout must meet before it is tagged.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** Returns what is left to do before the tag, one sentence each. */
export function missingBeforeTag(root: string): readonly string[] {
    const read = (file: string) => readFileSync(path.join(root, file), "utf8");
    const { version } = JSON.parse(read("package.json"));
    const lock = JSON.parse(read("package-lock.json"));
    const git = (...args: readonly string[]) =>
        spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
    const heading = new RegExp(
        `^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`,
        "m"
    );
    const checks: readonly (readonly [isMissing: boolean, sentence: string])[] = [
        [
            lock.version !== version,
            `package-lock.json has version ${lock.version}, not ${version}.`,
        ],
        [
            !heading.test(read("CHANGELOG.md")),
            `CHANGELOG.md has no heading \`## [${version}] - YYYY-MM-DD\`.`,
        ],
        [git("branch", "--show-current") !== "main", "The current branch is not main."],
        [git("status", "--porcelain") !== "", "There are uncommitted changes."],
        [git("tag", "--list", `v${version}`) !== "", `The tag v${version} exists.`],
    ];
    return checks.flatMap(([isMissing, sentence]) => (isMissing ? [sentence] : []));
}

/** Returns the latest section of the changelog, without its heading. */
export function releaseNotes(root: string): string {
    const text = readFileSync(path.join(root, "CHANGELOG.md"), "utf8");
    const [, section = ""] = text.split(/^## \[/m);
    return section.replace(/^.*\n/, "").trim();
}

const PACKED =
    /^(?:package\.json|npm-shrinkwrap\.json|oclif\.manifest\.json|[A-Z-]+(?:\.md)?|bin\/(?!dev\b)[\w-]+\.js(?:on)?|docs\/[\w-]+\.md|templates\/[\w./-]+|dist\/[\w./-]+(?<!\.map))$/;

/**
 * Returns what is wrong with a package's files: some that do not belong (sources, tests, source
 * maps, leftovers), or required ones that are missing.
 */
export function faultsOfContents(files: readonly string[]): readonly string[] {
    const needed = ["package.json", "README.md", "LICENSE"];
    return [
        ...files.filter((file) => !PACKED.test(file)).map((file) => `unexpected ${file}`),
        ...needed.filter((file) => !files.includes(file)).map((file) => `no ${file}`),
    ];
}
