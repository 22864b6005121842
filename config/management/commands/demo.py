"""`touchstone demo`: the sample work, and who to sign in as."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.demo import PASSWORD, PEOPLE, load_demo


class Command(BaseCommand):
    """Load the sample work once and print the demo people."""

    help = "Load the sample work (once) and print who to sign in as."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, then name the people; running it again only names them."""
        fresh = load_demo()
        self.stdout.write("Sample work loaded." if fresh else "The sample work is there already.")
        self.stdout.write(f"\nSign in as any of these; the password is {PASSWORD}\n\n")
        for person in PEOPLE:
            self.stdout.write(f"  {person.email:<18} {', '.join(person.roles):<12} {person.name}\n")
        self.stdout.write("\n")
