"""Roles and how many open invitations each may have."""

LIMITS = {"guest": 0, "member": 3, "board": 50}


def limit(role: str) -> int:
    try:
        return LIMITS[role]
    except KeyError:
        raise ValueError(f"no such role: {role}") from None
