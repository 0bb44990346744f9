import { type Fence, fenceAfter } from "../files/fence.js";
import { LEARN_TOPICS } from "./topics.js";

const TITLE = "# Project Profile";

/** A profile's sections by heading, in order. */
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

/** Formats a profile: topics in order, then sections added by hand. */
export function profileText(sections: ReadonlyMap<string, string>): string {
    const topics = LEARN_TOPICS.map(({ title }) => title);
    const others = [...sections.keys()].filter((title) => !topics.includes(title));
    const parts = [...topics, ...others].flatMap((title) => {
        const body = sections.get(title);
        return body === undefined ? [] : [`## ${title}\n\n${body}`];
    });
    return `${[TITLE, ...parts].join("\n\n")}\n`;
}

/** Converts a reply to a section body: demotes headings outside fences, drops a repeated title. */
export function sectionBody(answer: string, title: string): string {
    let fence: Fence | undefined;
    const lines = answer
        .trim()
        .split("\n")
        .map((line) => {
            fence = fenceAfter(line, fence);
            // The profile's parser ignores fences: a section heading in one would end the section.
            if (fence) return line.replace(/^## /, " ## ");
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
