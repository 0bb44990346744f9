import { LEARN_TOPICS } from "./topics.js";

const TITLE = "# Project Profile";

/** The sections of a profile by their headings, in order. */
export function sectionsOf(profile: string): ReadonlyMap<string, string> {
    const sections = new Map<string, string>();
    for (const part of profile.split(/^## /m).slice(1)) {
        const end = part.indexOf("\n");
        const title = (end < 0 ? part : part.slice(0, end)).trim();
        const body = end < 0 ? "" : part.slice(end).trim();
        if (title !== "" && body !== "") sections.set(title, body);
    }
    return sections;
}

/** A profile: the topics in their order, then what somebody added by hand. */
export function profileText(sections: ReadonlyMap<string, string>): string {
    const topics = LEARN_TOPICS.map(({ title }) => title);
    const others = [...sections.keys()].filter((title) => !topics.includes(title));
    const parts = [...topics, ...others].flatMap((title) => {
        const body = sections.get(title);
        return body === undefined ? [] : [`## ${title}\n\n${body}`];
    });
    return `${[TITLE, ...parts].join("\n\n")}\n`;
}

/**
 * An answer as the body of a section: its own headings become smaller, and one that only repeats the
 * title is left out. What stands in fences stays.
 */
export function sectionBody(answer: string, title: string): string {
    let fence: string | undefined;
    const lines = answer
        .trim()
        .split("\n")
        .map((line) => {
            const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
            if (mark !== undefined) {
                if (fence === undefined) fence = mark;
                else if (mark.startsWith(fence)) fence = undefined;
            }
            // A heading of a section in a fence would end the section when the file is read.
            if (fence !== undefined) return line.replace(/^## /, " ## ");
            return line.replace(/^#{1,2}(?=\s)/, "###");
        });
    const [first = ""] = lines;
    const isTitle =
        first
            .replace(/^#+\s*/, "")
            .trim()
            .toLowerCase() === title.toLowerCase();
    return (isTitle && first.startsWith("#") ? lines.slice(1) : lines).join("\n").trim();
}
