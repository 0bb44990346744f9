import type { Section, SectionType, SymbolType } from "./section.js";

/** A definition in a file. */
export interface CodeSymbol {
    readonly name: string;
    readonly type: SymbolType;
    /** The line of its name; decorators stand above it. */
    readonly line: number;
    readonly endLine: number;
    /** Its head on one line. */
    readonly signature: string;
    /** Name of the enclosing or qualifying definition. */
    readonly parent?: string;
}

function isSymbolType(type: SectionType): type is SymbolType {
    return type !== "impl" && type !== "block";
}

/** All definitions in their order, with those inside others. */
export function symbolsOf(sections: readonly Section[]): CodeSymbol[] {
    return sections.flatMap(({ name, type, endLine, definition, children }) => {
        const inner = symbolsOf(children);
        if (definition === undefined || !isSymbolType(type)) return inner;
        const { line, signature, parent } = definition;
        const symbol = { name, type, line, endLine, signature };
        return [parent === undefined ? symbol : { ...symbol, parent }, ...inner];
    });
}
