import { useAccess } from '@/access';

function Button({ action, id }: { action: string; id: string }) {
  return <button disabled={useAccess(action, { kind: 'note', id }) !== 'allowed'}>{action}</button>;
}

export function Buttons({ id }: { id: string }) {
  return (
    <p>
      <Button action="edit" id={id} />
      <Button action="publish" id={id} />
    </p>
  );
}
