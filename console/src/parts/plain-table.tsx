interface PlainTableProps {
  readonly caption: string;
  readonly heads: readonly string[];
  /** The first cell of each row names it. */
  readonly rows: readonly (readonly string[])[];
  /** Columns of figures; by default all but the first. */
  readonly isFigure?: (column: number) => boolean;
}

/** Text in rows and columns. */
export function PlainTable({ caption, heads, rows, isFigure = (column) => column > 0 }: PlainTableProps) {
  const look = (column: number) => (isFigure(column) ? "amount" : undefined);
  return (
    <div className="wide">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th key={head} scope="col" className={look(column)}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.length === 0 && (
            <tr>
              <td colSpan={heads.length} className="muted">
                none
              </td>
            </tr>
          )}
          {rows.map((row) => (
            <tr key={row.join(" ")}>
              {row.map((cell, column) =>
                column === 0 ? (
                  <th key={heads[column]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={heads[column]} className={look(column)}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
