import type { Definition, Section, SectionType, SymbolType } from "./section.js";

export interface CodeSymbol extends Omit<Definition, "isCallable"> {
    readonly name: string;
    readonly type: SymbolType;
    readonly endLine: number;
}

function isSymbolType(type: SectionType): type is SymbolType {
    return type !== "impl" && type !== "block";
}

export function symbolsOf(sections: readonly Section[]): CodeSymbol[] {
    return sections.flatMap(({ name, type, endLine, definition, children }) => {
        const inner = symbolsOf(children);
        if (definition === undefined || !isSymbolType(type)) return inner;
        const { line, signature, parent } = definition;
        const symbol = { name, type, line, endLine, signature };
        return [parent === undefined ? symbol : { ...symbol, parent }, ...inner];
    });
}
