import type { BlockKind } from "./language.js";
import { languageOfId } from "./languages.js";
import type { FileStructure, Section } from "./section.js";

interface Block {
    /** Unique in the file: `ts-0`, `html-3`, `style0-css-1`. */
    readonly id: string;
    readonly label: string;
    readonly startLine: number;
    readonly endLine: number;
}

interface Embedded {
    readonly prefix: string;
    readonly kind: BlockKind;
}

const EMBEDDED = {
    style: { suffix: "css", kind: "css_rule" },
    script: { suffix: "js", kind: "js_ts_symbol" },
} as const;

function labelOf(section: Section): string {
    const { name, type, definition } = section;
    if (definition === undefined || type === "impl" || type === "block") return name;
    const isMember = type === "method" || type === "property";
    return isMember && definition.parent !== undefined
        ? `${type} ${definition.parent}.${name}`
        : `${type} ${name}`;
}

/** The blocks of a file, outer ones before inner ones. Ids do not depend on `kind`. */
export function blocksOf(structure: FileStructure, kind: BlockKind | "all"): Block[] {
    const { blockKind, blockPrefix = "chunk" } = languageOfId(structure.language) ?? {};
    const blocks: Block[] = [];
    const counts = new Map<string, number>();
    /** Numbers each sort separately, and blocks in `<style>` per element. */
    const add = (sort: string, section: Section, label: string, kinds: readonly unknown[]) => {
        const number = counts.get(sort) ?? 0;
        counts.set(sort, number + 1);
        const { startLine, endLine } = section;
        const block = { id: `${sort}-${number}`, label, startLine, endLine };
        if (kind === "all" || kinds.includes(kind)) blocks.push(block);
        return number;
    };
    /** `embedded`: the language of the enclosing element. */
    const collect = (section: Section, embedded?: Embedded): void => {
        const { type, name, startLine, endLine, children } = section;
        if (type === "imports" || type === "exports") return;
        let inner = embedded;
        if (type === "style" || type === "script") {
            const { kind: own, suffix } = EMBEDDED[type];
            const label = `${name} (lines ${startLine}-${endLine})`;
            const number = add(type, section, label, ["html_section", own]);
            inner = { prefix: `${type}${number}-${suffix}`, kind: own };
        } else {
            const sort = embedded?.prefix ?? (type === "chunk" ? "chunk" : blockPrefix);
            add(sort, section, labelOf(section), [embedded ? embedded.kind : blockKind]);
        }
        for (const child of children) collect(child, inner);
    };
    for (const section of structure.sections) collect(section);
    return blocks;
}
