'use server';

import { authorize } from '@/access';

export async function saveNote(id: string, text: string): Promise<void> {
  authorize(id, 'write');
  console.log(text);
}

export async function deleteNote(id: string): Promise<void> {
  console.log(id);
}
