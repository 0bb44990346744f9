export interface FrontMatter {
    readonly fields: Readonly<Record<string, unknown>>;
    readonly body: string;
}

const FRONT_MATTER = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)([\s\S]*)$/;

export async function readFrontMatter(text: string): Promise<FrontMatter> {
    const [, matter = "", rest] = FRONT_MATTER.exec(text) ?? [];
    const body = (rest ?? text).trim();
    if (matter.trim() === "") return { fields: {}, body };
    const { fieldsIn } = await import("./yaml-fields.js");
    return { fields: fieldsIn(matter), body };
}
