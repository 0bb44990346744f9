import path from "node:path";
import { canBeCredential, isCredentialName, looksRandom } from "./credential-values.js";
import { replaceCredentials } from "./credentials.js";

/** Whether a path names a file of git settings: a repository's, a worktree's or the user's. */
export function isGitSettings(name: string): boolean {
    // Nearly all names fail here, at a fraction of the cost.
    if (!name.includes("config")) return false;
    return /(?:^|\/)(?:\.git\/(?:.*\/)?config(?:\.worktree)?|\.gitconfig|\.?gitconfig|git\/config)$/.test(
        name
    );
}

const SECTION = /^\s*\[\s*([\w.-]+)/;
const SETTING = /^(\s*)([A-Za-z][\w-]*)(\s*=\s*)/;

/**
 * Git settings without the credentials: passwords in URLs, extra headers, credential helpers. Every
 * line keeps its length, so that git takes the file for unchanged.
 */
export function withoutGitCredentials(text: string): string {
    let section = "";
    const lines = text.split("\n");
    for (let index = 0; index < lines.length; index++) {
        const line = lines[index] ?? "";
        section = SECTION.exec(line)?.[1]?.toLowerCase() ?? section;
        let last = index;
        while (/\\\r?$/.test(lines[last] ?? "") && last < lines.length - 1) last += 1;
        const whole = lines.slice(index, last + 1).map((each) => each.replace(/\\\r?$/, ""));
        const clean = cleanLine(whole.join(""), section);
        if (clean !== whole.join("")) {
            // A continued value is dropped: it can be cut anywhere.
            lines[index] = (last === index ? clean : nameIn(line)).padEnd(line.length);
            for (let next = index + 1; next <= last; next++) {
                lines[next] = " ".repeat(lines[next]?.length ?? 0);
            }
        }
        index = last;
    }
    return lines.join("\n");
}

/** Files that git settings include, as written. */
export function includedPaths(text: string): string[] {
    const paths: string[] = [];
    let section = "";
    for (const line of text.split("\n")) {
        section = SECTION.exec(line)?.[1]?.toLowerCase() ?? section;
        const setting = SETTING.exec(line);
        if (!/^include(?:if)?$/.test(section) || setting?.[2]?.toLowerCase() !== "path") continue;
        paths.push(
            line
                .slice(setting[0].length)
                .trim()
                .replace(/^"(.*)"$/, "$1")
        );
    }
    return paths;
}

/** Where an included file is; `folder` is that of the file that includes it. */
export function includedPlace(written: string, folder: string, home: string | undefined): string {
    const inHome = /^~\/(.*)/.exec(written)?.[1];
    return inHome !== undefined && home ? path.join(home, inHome) : path.resolve(folder, written);
}

function nameIn(line: string): string {
    const setting = SETTING.exec(line);
    return setting ? setting[0] : "";
}

function cleanLine(line: string, section: string): string {
    const [start = "", , name = ""] = SETTING.exec(line) ?? [];
    const value = line.slice(start.length).trim();
    const key = name.toLowerCase();
    const isHelper = section === "credential" && key === "helper";
    const isSecret = isCredentialName(name) && canBeCredential(value.replace(/^"|"$/g, ""));
    if (start !== "" && value !== "" && (isHelper || key === "extraheader" || isSecret)) {
        return start;
    }
    const withoutUsers = line.replace(/(?<=:\/\/)[^\s/@"]+@/g, userOf);
    return replaceCredentials(withoutUsers, () => "", "settings");
}

/** `ada@`, but neither a password nor a token. */
function userOf(userinfo: string): string {
    const [user = "", password] = userinfo.slice(0, -1).split(":");
    if (password !== undefined || looksRandom(user) || user.length >= 20) return "";
    return replaceCredentials(user, () => "") === user ? userinfo : "";
}
