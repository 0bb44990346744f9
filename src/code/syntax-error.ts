export interface SyntaxError {
    readonly line: number;
    readonly text: string;
}
