/** The promise, or a rejection that says what took too long. */
export async function within<Value>(
    milliseconds: number,
    what: string,
    promise: Promise<Value>
): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(
            () => reject(new Error(`${what} took more than ${milliseconds} ms`)),
            milliseconds
        );
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
