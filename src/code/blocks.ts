import type { BlockKind, Language } from "./language.js";
import { languageOfId } from "./languages.js";
import type { FileStructure, Section } from "./section.js";

/** Where a part of a file is. */
export interface Block {
    /** Unique in the file: `ts-0`, `html-3`, `style0-css-1`. */
    readonly id: string;
    readonly label: string;
    readonly startLine: number;
    readonly endLine: number;
}

/** A block and the filters it answers to. */
interface KindedBlock extends Block {
    readonly kinds: readonly BlockKind[];
}

/** Numbers the blocks of a file, each sort by itself, and blocks in `<style>` per element. */
class BlockCollector {
    readonly blocks: KindedBlock[] = [];
    private readonly counts = new Map<string, number>();

    constructor(private readonly language: Language | undefined) {}

    /** `prefix` is that of the embedded language, where the section is part of one. */
    collect(section: Section, prefix?: string): void {
        if (section.type === "imports" || section.type === "exports") return;
        const inner = this.add(section, prefix);
        for (const child of section.children) this.collect(child, inner);
    }

    private add(section: Section, prefix: string | undefined): string | undefined {
        const { startLine, endLine, type } = section;
        if (type === "style" || type === "script") {
            const number = this.next(type);
            const label = `${section.name} (lines ${startLine}-${endLine})`;
            const kinds: BlockKind[] = [
                "html_section",
                type === "style" ? "css_rule" : "js_ts_symbol",
            ];
            this.blocks.push({ id: `${type}-${number}`, label, startLine, endLine, kinds });
            return `${type}${number}-${type === "style" ? "css" : "js"}`;
        }
        const sort = prefix ?? (type === "chunk" ? "chunk" : this.language?.blockPrefix) ?? "chunk";
        const id = `${sort}-${this.next(sort)}`;
        this.blocks.push({
            id,
            label: labelOf(section),
            startLine,
            endLine,
            kinds: this.kinds(sort),
        });
        return prefix;
    }

    private kinds(sort: string): BlockKind[] {
        if (sort.startsWith("style")) return ["css_rule"];
        if (sort.startsWith("script")) return ["js_ts_symbol"];
        const kind = this.language?.blockKind;
        return kind === undefined ? [] : [kind];
    }

    private next(sort: string): number {
        const count = this.counts.get(sort) ?? 0;
        this.counts.set(sort, count + 1);
        return count;
    }
}

function labelOf(section: Section): string {
    const { name, type, definition } = section;
    if (definition === undefined || type === "impl" || type === "block") return name;
    const isMember = type === "method" || type === "property";
    return isMember && definition.parent !== undefined
        ? `${type} ${definition.parent}.${name}`
        : `${type} ${name}`;
}

/** The coordinates of a file's parts, outer ones before those in them. Ids do not depend on `kind`. */
export function blocksOf(structure: FileStructure, kind: BlockKind | "all"): Block[] {
    const collector = new BlockCollector(languageOfId(structure.language));
    for (const section of structure.sections) collector.collect(section);
    return collector.blocks
        .filter((block) => kind === "all" || block.kinds.includes(kind))
        .map(({ id, label, startLine, endLine }) => ({ id, label, startLine, endLine }));
}
