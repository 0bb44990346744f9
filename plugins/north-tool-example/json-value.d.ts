import type { PlainTool } from "north-cli/plugin";

export const jsonValue: PlainTool<
    { readonly path: string; readonly pointer: string },
    { readonly path: string; readonly type: string; readonly value: unknown }
>;
